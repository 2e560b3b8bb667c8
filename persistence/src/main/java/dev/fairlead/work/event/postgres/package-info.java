/** The event log and wake-ups in PostgreSQL. */
@NullMarked
package dev.fairlead.work.event.postgres;

import org.jspecify.annotations.NullMarked;
