#!/bin/sh
exec sh "$(dirname "$0")/$1"
