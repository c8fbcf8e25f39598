-- In front of acquire's algorithms. Most asks are for one permit of one bucket (`alone`), and making the functions
-- of the algorithms would take as long as deciding. So for some algorithms a file NAME_alone.lua
-- stands here that does in one go what acquire.lua would do with NAME.lua. It deals with what is
-- usual and leaves everything else to them.
local algorithm = ARGV[1]
local alone = ARGV[last - 5] == '1' and memo ~= '1' and #KEYS == (memo == '' and 1 or 2)
