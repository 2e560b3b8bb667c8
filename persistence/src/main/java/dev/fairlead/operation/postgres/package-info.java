/** Operations in PostgreSQL. */
@NullMarked
package dev.fairlead.operation.postgres;

import org.jspecify.annotations.NullMarked;
