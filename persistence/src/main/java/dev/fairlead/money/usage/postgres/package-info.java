/** Use and states of GPUs in PostgreSQL. */
@NullMarked
package dev.fairlead.money.usage.postgres;

import org.jspecify.annotations.NullMarked;
