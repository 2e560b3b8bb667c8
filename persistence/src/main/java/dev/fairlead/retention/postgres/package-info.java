/** Old rows in PostgreSQL. */
@NullMarked
package dev.fairlead.retention.postgres;

import org.jspecify.annotations.NullMarked;
