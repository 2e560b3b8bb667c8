/** A large fleet with many running and waiting jobs, and the latency of a new job. */
@NullMarked
package dev.fairlead.bench.scale;

import org.jspecify.annotations.NullMarked;
