/** Tests of nodes over HTTP. */
@NullMarked
package dev.fairlead.care.healthtest.web;

import org.jspecify.annotations.NullMarked;
