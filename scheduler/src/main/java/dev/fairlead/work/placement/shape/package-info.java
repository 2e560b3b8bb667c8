/** The request of a job, as placement uses it. Equal shapes are decided once. */
@NullMarked
package dev.fairlead.work.placement.shape;

import org.jspecify.annotations.NullMarked;
