/** The index of logs on PostgreSQL. */
@NullMarked
package dev.fairlead.work.log.postgres;

import org.jspecify.annotations.NullMarked;
