/** REST endpoints of health tests. */
@NullMarked
package dev.fairlead.care.healthtest.web;

import org.jspecify.annotations.NullMarked;
