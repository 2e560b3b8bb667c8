/** Quota: the charges of an element, and the quota node that refuses them. */
@NullMarked
package dev.fairlead.work.placement.admission;

import org.jspecify.annotations.NullMarked;
