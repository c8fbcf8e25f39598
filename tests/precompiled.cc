// Nothing: only what is compiled ahead of this is wanted.
