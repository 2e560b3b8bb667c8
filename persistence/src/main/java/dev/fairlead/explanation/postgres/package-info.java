/** Why jobs wait, in PostgreSQL. */
@NullMarked
package dev.fairlead.explanation.postgres;

import org.jspecify.annotations.NullMarked;
