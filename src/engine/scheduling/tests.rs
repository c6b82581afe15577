//! Small clusters of nodes, volumes and pods.
