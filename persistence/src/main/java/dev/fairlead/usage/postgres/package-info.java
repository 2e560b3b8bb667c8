/** Use and states of GPUs in PostgreSQL. */
@NullMarked
package dev.fairlead.usage.postgres;

import org.jspecify.annotations.NullMarked;
