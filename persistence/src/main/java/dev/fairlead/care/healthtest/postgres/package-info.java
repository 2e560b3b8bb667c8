/** Tests of nodes on PostgreSQL. */
@NullMarked
package dev.fairlead.care.healthtest.postgres;

import org.jspecify.annotations.NullMarked;
