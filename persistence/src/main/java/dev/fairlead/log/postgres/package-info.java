/** The index of logs on PostgreSQL. */
@NullMarked
package dev.fairlead.log.postgres;

import org.jspecify.annotations.NullMarked;
