//! The subcommands as processes: what they print, and their exit codes.
