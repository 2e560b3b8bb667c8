/** Traces of jobs, built from events. */
@NullMarked
package dev.fairlead.work.relay;

import org.jspecify.annotations.NullMarked;
