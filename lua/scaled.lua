-- part * to / from, and what is left over of it: bit by bit, because the product is longer than a double.
-- REQUIRES: 0 <= part < from; to and what comes out are below 2^53.
algorithms.scaled = function(part, from, to)
  local whole, rest, bit = 0, 0, 2 ^ 52
  while bit >= 1 do
    whole, rest = 2 * whole, 2 * rest
    if rest >= from then
      whole, rest = whole + 1, rest - from
    end
    if to % (2 * bit) >= bit then
      if rest >= from - part then
        whole, rest = whole + 1, rest - (from - part)
      else
        rest = rest + part
      end
    end
    bit = bit / 2
  end
  return whole, rest
end
