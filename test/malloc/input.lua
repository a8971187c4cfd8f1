-- SPDX-FileCopyrightText: 2026 The Arenite authors
-- SPDX-License-Identifier: MIT
local all = {}
for i = 1, 200000 do
  all[i] = { name = "n" .. i, next = all[i // 2] }
  if i % 3 == 0 then all[i // 3] = nil end
end
local sum, parts = 0, {}
for i, v in pairs(all) do sum = sum + i + #v.name end
for i = 1, 20000 do parts[#parts + 1] = string.format("%05x", i * 7 % 4096) end
print(sum, #table.concat(parts), select(2, table.concat(parts):gsub("0a", "")))
