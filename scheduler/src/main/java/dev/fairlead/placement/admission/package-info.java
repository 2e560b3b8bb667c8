/** Quota: what an element is charged, and which node of the tree refuses it. */
@NullMarked
package dev.fairlead.placement.admission;

import org.jspecify.annotations.NullMarked;
