module mainline.example/client

go 1.19
