/**
 * The restore drill: PostgreSQL is lost and restored to a point in time while the cluster runs on.
 */
@NullMarked
package dev.fairlead.bench.restore;

import org.jspecify.annotations.NullMarked;
