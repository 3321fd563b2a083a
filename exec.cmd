@rem In a POSIX shell `exec` is a builtin. This gives scripts that start with it the same first word in Windows' cmd.
@%*
