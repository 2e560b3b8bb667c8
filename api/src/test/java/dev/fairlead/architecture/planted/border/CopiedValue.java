package dev.fairlead.architecture.planted.border;

import java.time.Duration;
import java.util.List;

record CopiedValue(String name, int count, Duration lasts, List<String> nodes, long version) {}
