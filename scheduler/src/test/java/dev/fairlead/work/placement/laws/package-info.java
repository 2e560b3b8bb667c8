/**
 * The laws of the engine, checked on worlds drawn from seeds; a broken one shows its smallest
 * world.
 */
@NullMarked
package dev.fairlead.work.placement.laws;

import org.jspecify.annotations.NullMarked;
