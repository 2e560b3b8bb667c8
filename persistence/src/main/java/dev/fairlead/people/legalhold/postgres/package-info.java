/** Legal holds on PostgreSQL. */
@NullMarked
package dev.fairlead.people.legalhold.postgres;

import org.jspecify.annotations.NullMarked;
