/** A large fleet, many jobs that run and many that wait, and what a job that comes meets there. */
@NullMarked
package dev.fairlead.bench.scale;

import org.jspecify.annotations.NullMarked;
