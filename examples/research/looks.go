package research

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// looks are the functions that look at a tree: each completes what is known of its packages.
var looks = map[Look]func(root string, known []Package) ([]Package, error){
	LookFolders: folders,
	LookTests:   tests,
	LookOrigin:  origin,
}

// folders finds the packages, and counts their files.
func folders(root string, _ []Package) ([]Package, error) {
	var found []Package
	at := map[string]int{} // index in found
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		folder = filepath.ToSlash(folder)
		i, ok := at[folder]
		if !ok {
			i, at[folder] = len(found), len(found)
			found = append(found, Package{Folder: folder})
		}
		found[i].Files++
		return err
	})
	return found, err
}

// tests counts the test functions of every package.
func tests(root string, known []Package) ([]Package, error) {
	for i := range known {
		err := eachFile(filepath.Join(root, known[i].Folder), "_test.go", parser.SkipObjectResolution, func(f *ast.File) {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && isTest(fn.Name.Name) {
					known[i].Tests++
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		if strings.HasPrefix(name, prefix) && name != "TestMain" {
			return true
		}
	}
	return false
}

// origin finds out which packages are generated as a whole.
func origin(root string, known []Package) ([]Package, error) {
	for i := range known {
		known[i].Generated = known[i].Files > 0
		err := eachFile(filepath.Join(root, known[i].Folder), ".go", parser.PackageClauseOnly|parser.ParseComments, func(f *ast.File) {
			known[i].Generated = known[i].Generated && ast.IsGenerated(f)
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

// eachFile parses the files of a folder whose names end with suffix.
func eachFile(folder, suffix string, mode parser.Mode, visit func(*ast.File)) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), suffix) || strings.HasSuffix(e.Name(), "_test.go") != (suffix == "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, e.Name()), nil, mode)
		if err != nil {
			return err
		}
		visit(f)
	}
	return nil
}
