"""What each stage's prompt is filled in with: types of contexts, and how they are made of the stages' inputs."""
