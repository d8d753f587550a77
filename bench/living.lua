-- Asks for the pages of a living site of 10,000 pages one after another.
local i = 0

request = function()
  i = i + 1
  return wrk.format("GET", "/s" .. (i % 10 + 1) .. "/" .. (i * 7 % 990 + 1))
end
