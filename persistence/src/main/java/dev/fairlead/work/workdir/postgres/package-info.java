/** Archives of code in PostgreSQL. */
@NullMarked
package dev.fairlead.work.workdir.postgres;

import org.jspecify.annotations.NullMarked;
