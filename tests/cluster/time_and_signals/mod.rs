//! The writing commands on slow lines, with servers that stop answering, and when signals ask them to stop: what they report is
//! true, the printed command finishes the rest, and they end in time.

mod interrupted;
mod late_answers;
mod progress;
mod race;
mod silent_server;
mod slow_line;
mod work;
