/**
 * Laws of the engine, checked on random worlds from seeds. A broken law prints its smallest world.
 */
@NullMarked
package dev.fairlead.work.placement.laws;

import org.jspecify.annotations.NullMarked;
