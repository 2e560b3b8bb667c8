/** Calls of running attempts on PostgreSQL. */
@NullMarked
package dev.fairlead.progress.postgres;

import org.jspecify.annotations.NullMarked;
