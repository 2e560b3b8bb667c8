/** Secrets of projects on PostgreSQL. */
@NullMarked
package dev.fairlead.people.secret.postgres;

import org.jspecify.annotations.NullMarked;
