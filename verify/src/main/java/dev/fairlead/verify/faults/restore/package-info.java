/**
 * The restore test: PostgreSQL is lost and restored to a point in time while the cluster continues.
 */
@NullMarked
package dev.fairlead.verify.faults.restore;

import org.jspecify.annotations.NullMarked;
