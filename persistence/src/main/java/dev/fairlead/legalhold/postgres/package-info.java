/** Legal holds on PostgreSQL. */
@NullMarked
package dev.fairlead.legalhold.postgres;

import org.jspecify.annotations.NullMarked;
