/** Node provisioners that are called by webhook. */
@NullMarked
package dev.fairlead.care.supply.webhook;

import org.jspecify.annotations.NullMarked;
