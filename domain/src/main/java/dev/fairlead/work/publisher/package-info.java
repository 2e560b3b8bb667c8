/** Traces of jobs, built from events. */
@NullMarked
package dev.fairlead.work.publisher;

import org.jspecify.annotations.NullMarked;
