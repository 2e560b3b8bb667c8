/** In-memory implementation of the event log and the wake-ups. */
@NullMarked
package dev.fairlead.work.event.memory;

import org.jspecify.annotations.NullMarked;
