//! An ordinary user of one namespace against an administrator's run: with that user's token each test creates objects that the
//! API server accepts. The answers and plans for another namespace stay byte-identical.

mod annotation;
mod events;
mod lease;
mod names;
mod recycler_pod;
mod scene;
mod selected_node;
mod sizes;
