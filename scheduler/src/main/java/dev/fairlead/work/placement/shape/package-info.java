/** What a job asks for, as far as placement cares: equal shapes are decided once. */
@NullMarked
package dev.fairlead.work.placement.shape;

import org.jspecify.annotations.NullMarked;
