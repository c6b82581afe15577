//! README.md and the pages in docs/: what they show is what the program prints, what they tell the reader to type is accepted,
//! what they link to exists, and they keep to the words of the project. The pages are found by listing the folder.

mod command_lines;
mod flags;
mod front_page;
mod links;
mod manifests;
mod page;
mod sandbox;
mod screens;
mod shell;
mod words;
