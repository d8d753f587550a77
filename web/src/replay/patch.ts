// Replacing what the browser offers to scripts. A thing that a browser lacks is passed over.

type Any = any; // eslint-disable-line @typescript-eslint/no-explicit-any

export const scope = globalThis as Any;

// Replaces a method; wrap gets the native one.
export function method(owner: Any, name: string, wrap: (native: Any) => Any): void {
  const native = owner?.[name];
  if (typeof native !== "function") return;
  const replaced = wrap(native);
  try {
    Object.defineProperty(owner, name, { value: replaced, writable: true, configurable: true });
    Object.defineProperty(replaced, "name", { value: name });
    Object.defineProperty(replaced, "toString", { value: () => native.toString() });
  } catch {
    // Not to be replaced here: the server's policy still holds.
  }
}

// Replaces a property; null leaves that half as it is.
export function property(
  owner: Any,
  name: string,
  get: ((native: () => Any) => Any) | null,
  set: ((native: (value: Any) => void, value: Any, self: Any) => void) | null,
): void {
  const native = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (!native?.configurable || !native.get) return;
  const nativeGet = native.get;
  const nativeSet = native.set;
  Object.defineProperty(owner, name, {
    configurable: true,
    enumerable: native.enumerable ?? true,
    get: get
      ? function (this: Any) {
          return get(() => nativeGet.call(this));
        }
      : nativeGet,
    set:
      set && nativeSet
        ? function (this: Any, value: Any) {
            set((v) => nativeSet.call(this, v), value, this);
          }
        : nativeSet,
  });
}

// Takes something away from scripts.
export function remove(owner: Any, name: string): void {
  try {
    if (owner && name in owner && !delete owner[name]) owner[name] = undefined;
  } catch {
    // As above.
  }
}

// Replaces a constructor by one that treats its arguments first.
export function construct(name: string, prepare: (args: Any[]) => Any[]): void {
  const Native = scope[name];
  if (typeof Native !== "function") return;
  scope[name] = new Proxy(Native, {
    construct: (target, args, self) => Reflect.construct(target, prepare(args), self),
  });
}
