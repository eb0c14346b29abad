# What this language calls itself.
language-name = English
# Where it is written in several ways: how its numbers and dates are, as BCP 47 has it.
language-formats = en-GB
