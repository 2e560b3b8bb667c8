/** Calls of running attempts on PostgreSQL. */
@NullMarked
package dev.fairlead.work.progress.postgres;

import org.jspecify.annotations.NullMarked;
