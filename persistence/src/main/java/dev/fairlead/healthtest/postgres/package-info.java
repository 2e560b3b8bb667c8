/** Tests of nodes on PostgreSQL. */
@NullMarked
package dev.fairlead.healthtest.postgres;

import org.jspecify.annotations.NullMarked;
