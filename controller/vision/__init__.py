"""Reading cards in pictures: an image goes in, a `Picture` comes out. Pure: no clock, port or
thread."""
