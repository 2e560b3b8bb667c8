/** A large fleet with many running and waiting jobs, and the latency of a new job. */
@NullMarked
package dev.fairlead.verify.load.scale;

import org.jspecify.annotations.NullMarked;
