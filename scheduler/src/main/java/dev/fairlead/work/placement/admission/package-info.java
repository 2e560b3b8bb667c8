/** Quota: what an element is charged, and which node of the tree refuses it. */
@NullMarked
package dev.fairlead.work.placement.admission;

import org.jspecify.annotations.NullMarked;
