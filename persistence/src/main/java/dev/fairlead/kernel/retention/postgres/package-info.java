/** Old rows in PostgreSQL. */
@NullMarked
package dev.fairlead.kernel.retention.postgres;

import org.jspecify.annotations.NullMarked;
