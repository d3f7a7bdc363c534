"""A camera's calibration: its lens, where it hangs over the table, and the areas that it reads.

Imports OpenCV: whoever can do without a camera imports this inside a function.
"""
